//! scratch
use memory::PolicyName; use memory::replacement::Replacement; use simulate::*;
fn main(){
  let k: usize = std::env::args().nth(1).unwrap().parse().unwrap();
  for n in [PolicyName::Solar, PolicyName::SolarPaper, PolicyName::Survival] {
    let mut seg=[0.0;10]; let mut adm=0;
    for s in 1000..1100u32 { let w=WorkingSet::published().generate(s); let o=run(&w,Replacement::new(n,k),k,u64::from(s),Conditions::default());
      for i in 0..10 { seg[i]+=o.hits[i*50..i*50+50].iter().filter(|h| **h).count() as f64/50.0/100.0; } adm+=o.admitted; }
    println!("{:14} {:.3?} mean {:.4} adm {}", n.as_str(), seg, seg.iter().sum::<f64>()/10.0, adm/100);
  }
}
