//! Which curves does a simulation draw?

use simulate::WorkloadKind;

use super::{SimulationReport, columns, policies};
use crate::chart::{Axis, Panel, Series};

impl SimulationReport {
    /// The charts that the workload has, with what each shows.
    pub(super) fn panels(&self) -> Vec<(&'static str, Panel)> {
        let title = format!("{}: hit rate", self.workload);
        let Some(kind) = self.kind else {
            return vec![("by-capacity", self.by_column(title, "capacity"))];
        };
        match kind {
            WorkloadKind::Cycling => vec![("by-ratio", self.by_column(title, "topics / capacity"))],
            WorkloadKind::WorkingSet => {
                vec![
                    ("by-capacity", self.by_column(title, "capacity")),
                    ("gain", self.gain()),
                ]
            }
            WorkloadKind::TopicDrift => vec![("over-time", self.over_time())],
            WorkloadKind::NoiseStatic => vec![("by-capacity", self.pools(title))],
            WorkloadKind::NoiseStream | WorkloadKind::NoisePaired => {
                vec![("by-capacity", self.by_column(title, "capacity"))]
            }
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "capacities are far below 2^52")]
    fn place(&self, (variant, capacity): (&str, usize)) -> f64 {
        if self.kind == Some(WorkloadKind::Cycling) {
            variant.trim_start_matches('m').parse().unwrap_or(0.0) / capacity as f64
        } else {
            capacity as f64
        }
    }

    fn axis(&self, label: &str) -> Axis {
        match self.kind {
            Some(WorkloadKind::Cycling | WorkloadKind::TopicDrift) => Axis::linear(label),
            Some(
                WorkloadKind::WorkingSet
                | WorkloadKind::NoiseStatic
                | WorkloadKind::NoiseStream
                | WorkloadKind::NoisePaired,
            )
            | None => Axis::logarithmic(label),
        }
    }

    fn by_column(&self, title: String, label: &str) -> Panel {
        let columns = columns(&self.rows);
        let series = policies(&self.rows).into_iter().map(|policy| Series {
            name: policy.to_owned(),
            points: columns
                .iter()
                .filter_map(|c| Some((self.place(*c), self.at(policy, *c)?.hit_rate)))
                .collect(),
        });
        Panel {
            title,
            across: self.axis(label),
            series: series.collect(),
        }
    }

    fn pools(&self, title: String) -> Panel {
        let series = ["relevant-first", "uniform"].map(|variant| Series {
            name: format!("pool drawn {variant}"),
            points: self
                .rows
                .iter()
                .filter(|row| row.variant == variant)
                .map(|row| (self.place((variant, row.capacity)), row.hit_rate))
                .collect(),
        });
        Panel {
            title,
            across: self.axis("pool"),
            series: series.into(),
        }
    }

    /// What each policy gains over first in, first out: the phase transition.
    fn gain(&self) -> Panel {
        let columns = columns(&self.rows);
        let gain = |policy: &str, column| {
            let fifo = self.at("fifo", column)?;
            Some((
                self.place(column),
                self.at(policy, column)?.hit_rate - fifo.hit_rate,
            ))
        };
        let series = policies(&self.rows)
            .into_iter()
            .filter(|policy| *policy != "fifo");
        Panel {
            title: format!("{}: gain over fifo", self.workload),
            across: self.axis("capacity"),
            series: series
                .map(|policy| Series {
                    name: policy.to_owned(),
                    points: columns.iter().filter_map(|c| gain(policy, *c)).collect(),
                })
                .collect(),
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "twenty parts")]
    fn over_time(&self) -> Panel {
        let first = self.rows.first().map_or(0, |row| row.capacity);
        let rows = self.rows.iter().filter(|row| row.capacity == first);
        Panel {
            title: format!("{}: hit rate over time, capacity {first}", self.workload),
            across: Axis::linear("share of the stream, %"),
            series: rows
                .map(|row| Series {
                    name: row.policy.to_owned(),
                    points: (0..row.course.len())
                        .map(|part| {
                            let at = (part as f64 + 0.5) / row.course.len() as f64 * 100.0;
                            (at, row.course[part])
                        })
                        .collect(),
                })
                .collect(),
        }
    }
}
