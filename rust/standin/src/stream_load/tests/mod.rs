//! Loads as a client sees them: headers and bytes in, rows out.
