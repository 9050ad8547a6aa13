//! Arrays of the JVM in and out. Text is always UTF-8 bytes, numbers in byte form are big-endian.

use std::time::Duration;

use doris_client::ErrorKind;
use doris_client::read::plan::ScanPlan;
use jni::Env;
use jni::objects::{JByteArray, JIntArray, JLongArray};

use crate::guard::Failure;
use crate::log::Record;

/// Copies a `byte[]` argument.
pub fn bytes(env: &Env<'_>, array: &JByteArray<'_>) -> Result<Vec<u8>, Failure> {
    if array.is_null() {
        return Err(Failure::new(
            ErrorKind::Config,
            "null was given where bytes are needed",
        ));
    }
    Ok(env.convert_byte_array(array)?)
}

/// Copies a `long[]` argument.
pub fn longs(env: &Env<'_>, array: &JLongArray<'_>) -> Result<Vec<i64>, Failure> {
    if array.is_null() {
        return Err(Failure::new(
            ErrorKind::Config,
            "null was given where numbers are needed",
        ));
    }
    let mut numbers = vec![0; array.len(env)?];
    array.get_region(env, 0, &mut numbers)?;
    Ok(numbers)
}

/// A `byte[]` result.
pub fn to_bytes<'l>(env: &mut Env<'l>, bytes: &[u8]) -> Result<JByteArray<'l>, Failure> {
    Ok(env.byte_array_from_slice(bytes)?)
}

/// A `long[]` result.
pub fn to_longs<'l>(env: &mut Env<'l>, numbers: &[i64]) -> Result<JLongArray<'l>, Failure> {
    let array = JLongArray::new(env, numbers.len())?;
    array.set_region(env, 0, numbers)?;
    Ok(array)
}

/// An `int[]` result.
pub fn to_ints<'l>(env: &mut Env<'l>, numbers: &[i32]) -> Result<JIntArray<'l>, Failure> {
    let array = JIntArray::new(env, numbers.len())?;
    array.set_region(env, 0, numbers)?;
    Ok(array)
}

/// A counter as a Java `long`.
pub fn long(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A time limit of a call; a negative one means "do not wait".
pub fn millis(timeout_ms: i32) -> Duration {
    Duration::from_millis(u64::try_from(timeout_ms).unwrap_or(0))
}

/// A plan: u8 whether it has tablets; u32 n and n × (i64 tablet, u32 k, k × text); u32 w and w × text. A text is u32
/// length and UTF-8.
pub fn plan_bytes(plan: &ScanPlan) -> Vec<u8> {
    let mut out = vec![u8::from(plan.has_tablets)];
    put_len(&mut out, plan.tablets.len());
    for tablet in &plan.tablets {
        out.extend_from_slice(&tablet.id.to_be_bytes());
        put_len(&mut out, tablet.backends.len());
        tablet
            .backends
            .iter()
            .for_each(|backend| put_text(&mut out, backend));
    }
    put_len(&mut out, plan.warnings.len());
    plan.warnings
        .iter()
        .for_each(|warning| put_text(&mut out, warning));
    out
}

/// Log records: u32 n, then per record u8 level (1 error to 5 trace), target and message as texts.
pub fn log_bytes(records: &[Record]) -> Vec<u8> {
    let mut out = Vec::new();
    put_len(&mut out, records.len());
    for record in records {
        out.push(record.level);
        put_text(&mut out, &record.target);
        put_text(&mut out, &record.message);
    }
    out
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_len(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

/// All lengths here are those of things in memory that cross as one Java array, which ends at 2³¹ bytes.
fn put_len(out: &mut Vec<u8>, len: usize) {
    out.extend_from_slice(&u32::try_from(len).unwrap_or(u32::MAX).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use doris_client::read::plan::Tablet;

    #[test]
    fn a_plan_is_written_as_java_reads_it() {
        let plan = ScanPlan {
            has_tablets: true,
            tablets: vec![Tablet {
                id: -2,
                backends: vec!["a:1".into()],
            }],
            warnings: vec!["é".into()],
        };
        let expected = [
            &[
                1, 0, 0, 0, 1, 255, 255, 255, 255, 255, 255, 255, 254, 0, 0, 0, 1, 0, 0, 0, 3,
            ][..],
            b"a:1",
            &[0, 0, 0, 1, 0, 0, 0, 2, 0xC3, 0xA9],
        ];
        assert_eq!(plan_bytes(&plan), expected.concat());
        assert_eq!(plan_bytes(&ScanPlan::default()), [0; 9]);
    }

    #[test]
    fn log_records_are_written_as_java_reads_them() {
        let record = Record {
            level: 2,
            target: "t".into(),
            message: "m!".into(),
        };
        assert_eq!(log_bytes(&[record]), b"\0\0\0\x01\x02\0\0\0\x01t\0\0\0\x02m!");
    }
}
