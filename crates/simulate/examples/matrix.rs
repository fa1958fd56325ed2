//! scratch
use memory::PolicyName;
use memory::replacement::Replacement;
use simulate::{Conditions, Cycling, TopicDrift, Workload, WorkingSet, Popularity, run};
type Gen = Box<dyn Fn(u32) -> Workload>;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let seeds: Vec<u32> = args[1].split(',').map(|s| s.parse().unwrap()).collect();
    let seeds: Vec<u32> = if seeds.len() == 2 { (seeds[0]..seeds[0]+seeds[1]).collect() } else { seeds };
    let names: Vec<PolicyName> = if args[2] == "all" { PolicyName::ALL.to_vec() } else { args[2].split(',').map(|n| PolicyName::parse(n).unwrap()).collect() };
    let wrong: f64 = args.get(3).map_or(0.0, |a| a.parse().unwrap());
    let missing: f64 = args.get(4).map_or(0.0, |a| a.parse().unwrap());
    let delay: usize = args.get(5).map_or(0, |a| a.parse().unwrap());
    let extra = args.get(6).is_some();
    let mut cells: Vec<(String, Gen, usize)> = Vec::new();
    if !extra {
    for m in [10, 15, 20, 30, 50] { cells.push((format!("cyc{m}"), Box::new(move |s| Cycling::published(m).generate(s)), 10)); }
    for k in [5, 10, 15, 20, 30, 50, 100] { cells.push((format!("ws{k}"), Box::new(|s| WorkingSet::published().generate(s)), k)); }
    cells.push(("drift".into(), Box::new(|s| TopicDrift::published().generate(s)), 20));
    } else {
    for k in [5, 10, 15, 20, 30] { cells.push((format!("zipf{k}"), Box::new(|s| WorkingSet { popularity: Popularity::Zipf(1.2), ..WorkingSet::published() }.generate(s)), k)); }
    for p in [50, 200, 500] { cells.push((format!("dr{p}"), Box::new(move |s| TopicDrift { phase: p, ..TopicDrift::published() }.generate(s)), 20)); }
    for p in [10, 20] { cells.push((format!("grad{p}"), Box::new(move |s| TopicDrift { phase: p, phases: 600/p, overlap: 4, ..TopicDrift::published() }.generate(s)), 20)); }
    for k in [5, 10] { cells.push((format!("drK{k}"), Box::new(|s| TopicDrift::published().generate(s)), k)); }
    for m in [12, 100] { cells.push((format!("cyc{m}"), Box::new(move |s| Cycling::published(m).generate(s)), 10)); }
    }
    let t0 = std::time::Instant::now();
    let mut table = vec![vec![0.0; cells.len()]; names.len()];
    for (c, (_, make, k)) in cells.iter().enumerate() {
        let ws: Vec<Workload> = seeds.iter().map(|s| make(*s)).collect();
        std::thread::scope(|scope| {
            let ws = &ws; let seeds = &seeds;
            let names = &names; let k = *k;
            for chunk in table.chunks_mut(names.len().div_ceil(2)).enumerate() {
                scope.spawn(move || {
                    for (i, row) in chunk.1.iter_mut().enumerate() {
                        let n = names[chunk.0 * names.len().div_ceil(2) + i];
                        let mut sum = 0.0;
                        for (w, s) in ws.iter().zip(seeds) {
                            let mut c = Conditions::default();
                            c.wrong = wrong; c.missing = missing; c.delay = delay;
                            sum += run(w, Replacement::new(n, k), k, u64::from(*s), c).hit_rate();
                        }
                        row[c] = sum / ws.len() as f64;
                    }
                });
            }
        });
    }
    print!("{:18}", "");
    for (n, _, _) in &cells { print!("{n:>7}"); }
    println!();
    for (i, n) in names.iter().enumerate() {
        print!("{:18}", n.as_str());
        for v in &table[i] { print!("{v:7.3}"); }
        println!();
    }
    if names.contains(&PolicyName::Survival) && names.len() > 1 {
        let s = names.iter().position(|n| *n == PolicyName::Survival).unwrap();
        let margins: Vec<f64> = (0..cells.len()).map(|c| table[s][c] - names.iter().enumerate().filter(|(i, _)| *i != s).map(|(i, _)| table[i][c]).fold(0.0, f64::max)).collect();
        print!("{:18}", "margin");
        for v in &margins { print!("{v:7.3}"); }
        println!("  mean {:.4}", margins.iter().sum::<f64>() / margins.len() as f64);
    }
    eprintln!("{:?}", t0.elapsed());
}
