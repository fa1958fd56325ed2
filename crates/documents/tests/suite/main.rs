//! The crate through its public interface.
