//! Log records for Java: a tracing layer that fills a bounded ring, which Java empties into slf4j on its own threads.

use std::collections::VecDeque;
use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::subscriber::Interest;
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// Records that wait for Java at most; further ones are dropped and counted.
const CAPACITY: usize = 1024;
/// Bytes of one message at most.
const MESSAGE_LIMIT: usize = 8 * 1024;

/// One record.
#[derive(Debug)]
pub struct Record {
    /// 1 error, 2 warn, 3 info, 4 debug, 5 trace.
    pub level: u8,
    /// The module that wrote it.
    pub target: String,
    /// Message and fields.
    pub message: String,
}

static RING: Mutex<VecDeque<Record>> = Mutex::new(VecDeque::new());
static DROPPED: AtomicU64 = AtomicU64::new(0);

/// Directs the records of this copy of the library into the ring: its own crates from debug on, others from warn on.
pub fn install() {
    // Fails only when it was done before.
    let _ = tracing::subscriber::set_global_default(tracing_subscriber::registry().with(RingLayer));
}

/// Takes the oldest records.
pub fn drain(max: usize) -> Vec<Record> {
    let mut ring = RING.lock().unwrap_or_else(PoisonError::into_inner);
    let count = max.min(ring.len());
    ring.drain(..count).collect()
}

/// How many records found the ring full.
pub fn dropped() -> u64 {
    DROPPED.load(Relaxed)
}

/// Records a panic. Never waits: the panic may have happened anywhere.
pub fn push_panic(message: &str) {
    match RING.try_lock() {
        Ok(mut ring) => {
            put(
                &mut ring,
                Record {
                    level: 1,
                    target: "doris_flink_native".into(),
                    message: message.into(),
                },
            );
        }
        Err(_) => {
            DROPPED.fetch_add(1, Relaxed);
        }
    }
}

fn put(ring: &mut VecDeque<Record>, record: Record) {
    if ring.len() < CAPACITY {
        ring.push_back(record);
    } else {
        DROPPED.fetch_add(1, Relaxed);
    }
}

struct RingLayer;

impl RingLayer {
    fn wants(metadata: &Metadata<'_>) -> bool {
        let ours = metadata.target().starts_with("doris_");
        metadata.is_event() && *metadata.level() <= if ours { Level::DEBUG } else { Level::WARN }
    }
}

impl<S: Subscriber> Layer<S> for RingLayer {
    fn register_callsite(&self, metadata: &'static Metadata<'static>) -> Interest {
        if Self::wants(metadata) {
            Interest::always()
        } else {
            Interest::never()
        }
    }

    fn enabled(&self, metadata: &Metadata<'_>, _: Context<'_, S>) -> bool {
        Self::wants(metadata)
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(LevelFilter::DEBUG)
    }

    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut text = Text::default();
        event.record(&mut text);
        let level = match *event.metadata().level() {
            Level::ERROR => 1,
            Level::WARN => 2,
            Level::INFO => 3,
            Level::DEBUG => 4,
            Level::TRACE => 5,
        };
        let record = Record {
            level,
            target: event.metadata().target().to_owned(),
            message: text.finish(),
        };
        put(&mut RING.lock().unwrap_or_else(PoisonError::into_inner), record);
    }
}

/// The message followed by the other fields as `name=value`.
#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Text {
    fn finish(mut self) -> String {
        self.message.push_str(&self.fields);
        if self.message.len() > MESSAGE_LIMIT {
            let mut end = MESSAGE_LIMIT;
            while !self.message.is_char_boundary(end) {
                end -= 1;
            }
            self.message.truncate(end);
            self.message.push('…');
        }
        self.message
    }
}

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        // Writing to a String cannot fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let _ = match field.name() {
            "message" => write!(self.message, "{value}"),
            name => write!(self.fields, " {name}={value}"),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, since the ring is one.
    #[test]
    fn the_ring_keeps_order_filters_and_counts_what_it_drops() {
        let subscriber = tracing_subscriber::registry().with(RingLayer);
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!(target: "doris_client::scan", host = "be-1", tablets = 3, "split begun");
            tracing::trace!(target: "doris_client::scan", "too fine");
            tracing::info!(target: "h2::client", "not ours");
            tracing::warn!(target: "hyper", "{}", "é".repeat(MESSAGE_LIMIT));
            let records = drain(10);
            assert_eq!(records.len(), 2, "{records:?}");
            assert_eq!(
                (records[0].level, records[0].target.as_str()),
                (3, "doris_client::scan")
            );
            assert_eq!(records[0].message, "split begun host=be-1 tablets=3");
            assert!(records[1].message.len() <= MESSAGE_LIMIT + 3 && records[1].message.ends_with('…'));
            let before = dropped();
            for i in 0..CAPACITY + 5 {
                tracing::debug!(target: "doris_arrow", "record {i}");
            }
            assert_eq!(dropped() - before, 5);
            assert_eq!(drain(1)[0].message, "record 0");
            assert_eq!(drain(usize::MAX).len(), CAPACITY - 1);
        });
        assert!(drain(1).is_empty());
    }
}
