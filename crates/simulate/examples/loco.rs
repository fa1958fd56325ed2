//! scratch
use language_model::{Embedder, StaticEmbedder};
use memory::PolicyName; use memory::replacement::{Replacement, SurvivalConfig}; use simulate::*;
fn main(){
  let e=StaticEmbedder::builtin();
  let embed=|t:&[&str]| -> Vec<Vector> { e.embed(t).unwrap().into_iter().map(|v| v.as_slice().to_vec()).collect() };
  let cs: Vec<_>=locomo::load(std::path::Path::new("/work/shared/data/dev/locomo")).unwrap().into_iter().map(|c| locomo::EmbeddedConversation::new(c,&embed)).collect();
  for (p, ks) in [("p1", vec![10,20,50,100]), ("p2", vec![10,20,50,100,200])] {
    let ws: Vec<(u64,Workload)> = cs.iter().flat_map(|c| (0..3u64).map(move |s| (s, if p=="p1" { c.answered_questions(s) } else { c.turns(s) }))).collect();
    print!("{p:18}"); for k in &ks { print!("{k:>8}"); } println!("  unlimited");
    for n in PolicyName::ALL {
      print!("{:18}", n.as_str());
      for k in ks.iter().chain([&100000]) {
        if *k==100000 && n!=PolicyName::Fifo { continue; }
        let (mut h,mut t)=(0,0);
        for (s,w) in &ws { let k=(*k).min(w.items.len()); let o=run(w,Replacement::new(n,k),k,*s,Conditions::default()); h+=o.hits.iter().filter(|x| **x).count(); t+=o.hits.len(); }
        print!("{:8.3}", h as f64/t as f64);
      }
      println!();
    }
    for gh in [0.0,1.0,3.0] { print!("survival g={gh:8}"); for k in &ks { let (mut h,mut t)=(0,0);
        for (s,w) in &ws { let o=run(w,Replacement::survival(*k,SurvivalConfig{ghosts_per_place:gh,..Default::default()}),*k,*s,Conditions::default()); h+=o.hits.iter().filter(|x| **x).count(); t+=o.hits.len(); }
        print!("{:8.3}", h as f64/t as f64);} println!(); }
  }
}
