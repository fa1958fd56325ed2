//! Which replacement policy would have served best?
mod conditions;
mod generate;
mod kind;
pub mod locomo;
mod matrix;
mod noise;
mod numpy_random;
mod runner;
mod workload;

pub use conditions::Conditions;
pub use generate::{Cycling, Popularity, TopicDrift, WorkingSet};
pub use kind::WorkloadKind;
pub use matrix::{COURSE, Cell, Contender, Generate, Matrix, Row};
pub use noise::{NoisePaired, NoiseStatic, NoiseStream, Pool};
pub use runner::{Outcome, RETRIEVED, run};
pub use workload::{DIMENSIONS, Query, StreamStep, Vector, Workload, dot, unit};
