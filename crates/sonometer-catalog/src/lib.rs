//! The protocols that ship with Sonometer.
