//! Which replacement policy would have served best?
mod conditions;
mod generate;
pub mod locomo;
mod noise;
mod numpy_random;
mod runner;
mod workload;

pub use conditions::Conditions;
pub use generate::{Cycling, Popularity, TopicDrift, WorkingSet};
pub use noise::{NoisePaired, NoiseStatic, NoiseStream, Pool};
pub use runner::{Outcome, RETRIEVED, run};
pub use workload::{DIMENSIONS, Query, StreamStep, Vector, Workload, dot, unit};
