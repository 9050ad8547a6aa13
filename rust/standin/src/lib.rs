//! The stand-in server.
