#![doc = include_str!("../README.md")]

mod conditions;
pub mod dataset;
mod generate;
mod kind;
pub mod locomo;
mod matrix;
mod noise;
mod npz;
mod numpy_random;
mod runner;
mod workload;

pub use conditions::Conditions;
pub use generate::{Cycling, Popularity, TopicDrift, WorkingSet};
pub use kind::WorkloadKind;
pub use matrix::{COURSE, Cell, Contender, Generate, Matrix, Row};
pub use noise::{NoisePaired, NoiseStatic, NoiseStream, Pool};
pub use npz::NpzError;
pub use runner::{Observer, Outcome, RETRIEVED, run, run_observed};
pub use workload::{DIMENSIONS, Query, StreamStep, Vector, Workload, dot, unit};
