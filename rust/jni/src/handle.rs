//! Numbers that stand for native objects: Java holds an id, never an address, and every use checks it.
//!
//! An id is made of kind, generation and index:
//! ```text
//!  63   62 .. 59   58 ........ 20   19 ........ 0
//!  0    kind       generation       index
//! ```
//! The generation of a slot grows each time it is re-used, so an id that was closed stays invalid for ever.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use doris_client::ErrorKind;

use crate::guard::{Failure, payload_text};

const INDEX_BITS: u32 = 20;
const KIND_SHIFT: u32 = 59;
const MAX_GENERATION: u64 = (1 << (KIND_SHIFT - INDEX_BITS)) - 1;

/// What an id stands for; part of the id, so that a scan's number is never taken for a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// A source reader's scan.
    Scan = 1,
    /// The planning of a read.
    Plan = 2,
    /// A record batch that Java holds.
    Batch = 3,
    /// What a writer or a committer works with.
    Sink = 4,
    /// Rows on their way to a table.
    Load = 5,
    /// A request to a server.
    Call = 6,
    /// An enumerator's requests in order to follow changes.
    Changelog = 7,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Scan => "scan",
            Kind::Plan => "plan",
            Kind::Batch => "batch",
            Kind::Sink => "sink",
            Kind::Load => "load",
            Kind::Call => "call",
            Kind::Changelog => "changelog",
        }
    }

    fn of(id: i64) -> Option<Kind> {
        match id >> KIND_SHIFT {
            1 => Some(Kind::Scan),
            2 => Some(Kind::Plan),
            3 => Some(Kind::Batch),
            4 => Some(Kind::Sink),
            5 => Some(Kind::Load),
            6 => Some(Kind::Call),
            7 => Some(Kind::Changelog),
            _ => None,
        }
    }
}

/// An object in a table, with the text of the panic that made it unusable, if one did.
struct Entry<T> {
    value: T,
    poison: Mutex<Option<String>>,
}

struct Slot<T> {
    generation: u64,
    entry: Option<Arc<Entry<T>>>,
}

struct Slots<T> {
    slots: Vec<Slot<T>>,
    free: Vec<usize>,
}

/// All live objects of one kind. From any thread; no lock is held while an object is used or dropped.
pub struct Table<T> {
    kind: Kind,
    slots: RwLock<Slots<T>>,
}

impl<T> Table<T> {
    /// An empty table.
    pub const fn new(kind: Kind) -> Self {
        Self {
            kind,
            slots: RwLock::new(Slots {
                slots: Vec::new(),
                free: Vec::new(),
            }),
        }
    }

    /// Takes an object in and returns its id, which is never 0.
    pub fn insert(&self, value: T) -> Result<i64, Failure> {
        let entry = Some(Arc::new(Entry {
            value,
            poison: Mutex::new(None),
        }));
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let index = match slots.free.pop() {
            Some(index) => index,
            None if slots.slots.len() < 1 << INDEX_BITS => {
                slots.slots.push(Slot {
                    generation: 0,
                    entry: None,
                });
                slots.slots.len() - 1
            }
            None => {
                let text = format!(
                    "{} {}s are open already: one is never closed",
                    1 << INDEX_BITS,
                    self.kind.name()
                );
                return Err(Failure::new(ErrorKind::Internal, text));
            }
        };
        let slot = &mut slots.slots[index];
        slot.generation += 1;
        slot.entry = entry;
        Ok((self.kind as i64) << KIND_SHIFT | (slot.generation as i64) << INDEX_BITS | index as i64)
    }

    /// Uses an object. It stays alive during the call, even when another thread closes it meanwhile. A panic, also one
    /// that arrives as an error from a task, makes this object unusable and no other.
    pub fn with<R>(&self, id: i64, f: impl FnOnce(&T) -> Result<R, Failure>) -> Result<R, Failure> {
        let entry = self.get(id)?;
        if let Some(text) = &*entry.poison.lock().unwrap_or_else(PoisonError::into_inner) {
            let text = format!(
                "this {} cannot be used after a fault in the native library: {text}",
                self.kind.name()
            );
            return Err(Failure::new(ErrorKind::Panic, text));
        }
        match catch_unwind(AssertUnwindSafe(|| f(&entry.value))) {
            Ok(result) => {
                if let Err(failure) = &result
                    && failure.is_panic()
                {
                    entry.poison(failure.message().to_owned());
                }
                result
            }
            Err(payload) => {
                entry.poison(payload_text(&*payload));
                resume_unwind(payload)
            }
        }
    }

    /// Takes an object out; its id is stale from now on. The object is dropped when the last call that uses it
    /// returns. `None` when the id is stale or of another kind.
    pub fn remove(&self, id: i64) -> Option<Held<T>> {
        let (generation, index) = self.parts(id)?;
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        let slot = slots
            .slots
            .get_mut(index)
            .filter(|s| s.generation == generation)?;
        let entry = slot.entry.take()?;
        // A slot whose generations are used up retires.
        if generation < MAX_GENERATION {
            slots.free.push(index);
        }
        Some(Held(entry))
    }

    /// Holds an object that is to be closed, also one that a panic made unusable. `None` when the id is stale or of
    /// another kind.
    pub fn find(&self, id: i64) -> Option<Held<T>> {
        self.get(id).ok().map(Held)
    }

    /// Takes everything out.
    pub fn clear(&self) {
        let mut taken = Vec::new();
        let mut slots = self.slots.write().unwrap_or_else(PoisonError::into_inner);
        for index in 0..slots.slots.len() {
            if let Some(entry) = slots.slots[index].entry.take() {
                slots.free.push(index);
                taken.push(entry);
            }
        }
        drop(slots);
    }

    /// How many objects are in it.
    pub fn len(&self) -> usize {
        let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
        slots.slots.iter().filter(|s| s.entry.is_some()).count()
    }

    /// Whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn get(&self, id: i64) -> Result<Arc<Entry<T>>, Failure> {
        let found = self.parts(id).and_then(|(generation, index)| {
            let slots = self.slots.read().unwrap_or_else(PoisonError::into_inner);
            slots
                .slots
                .get(index)
                .filter(|s| s.generation == generation)
                .and_then(|s| s.entry.clone())
        });
        found.ok_or_else(|| {
            let text = match Kind::of(id) {
                Some(kind) if kind == self.kind => format!("this {} is closed", kind.name()),
                Some(kind) => format!(
                    "a {} was given where a {} is needed",
                    kind.name(),
                    self.kind.name()
                ),
                None => format!("{id} is no {}", self.kind.name()),
            };
            Failure::new(ErrorKind::Closed, text)
        })
    }

    /// Generation and index of an id of this table's kind.
    fn parts(&self, id: i64) -> Option<(u64, usize)> {
        if Kind::of(id) != Some(self.kind) {
            return None;
        }
        let bits = id as u64;
        Some((
            bits >> INDEX_BITS & MAX_GENERATION,
            (bits & ((1 << INDEX_BITS) - 1)) as usize,
        ))
    }
}

/// An object that is being closed, usable or not; calls in flight may still use it.
pub struct Held<T>(Arc<Entry<T>>);

impl<T> std::ops::Deref for Held<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.value
    }
}

impl<T> Entry<T> {
    fn poison(&self, text: String) {
        self.poison
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static NUMBERS: Table<i32> = Table::new(Kind::Scan);

    #[test]
    fn stale_ids_and_other_kinds_are_errors() {
        let table = Table::new(Kind::Scan);
        let other: Table<i32> = Table::new(Kind::Batch);
        let id = table.insert(7).unwrap();
        assert_eq!(table.with(id, |n| Ok(*n)).unwrap(), 7);
        let failure = other.with(id, |n| Ok(*n)).unwrap_err();
        assert_eq!(failure.message(), "a scan was given where a batch is needed");
        assert!(other.remove(id).is_none());
        assert!(table.remove(id).is_some());
        assert!(table.remove(id).is_none());
        let reused = table.insert(8).unwrap();
        assert_ne!(reused, id);
        assert_eq!(
            table.with(id, |n| Ok(*n)).unwrap_err().message(),
            "this scan is closed"
        );
        assert_eq!(table.with(reused, |n| Ok(*n)).unwrap(), 8);
        for wrong in [0, -1, 1, i64::MAX, i64::MIN, id | 1 << 19] {
            assert!(table.with(wrong, |n| Ok(*n)).is_err(), "{wrong}");
        }
        assert_eq!(table.len(), 1);
        table.clear();
        assert!(table.is_empty());
        assert!(table.with(reused, |n| Ok(*n)).is_err());
    }

    #[test]
    fn a_panic_makes_one_object_unusable() {
        let (bad, good) = (NUMBERS.insert(1).unwrap(), NUMBERS.insert(2).unwrap());
        let panicked =
            catch_unwind(|| NUMBERS.with(bad, |n| -> Result<(), Failure> { panic!("number {n}") }));
        assert!(panicked.is_err());
        let failure = NUMBERS.with(bad, |_| Ok(())).unwrap_err();
        assert!(failure.is_panic());
        assert!(failure.message().contains("number 1"), "{}", failure.message());
        assert!(NUMBERS.with(good, |_| Ok(())).is_ok());
        assert!(NUMBERS.remove(bad).is_some() && NUMBERS.remove(good).is_some());
    }

    #[test]
    fn an_object_outlives_its_removal_while_it_is_used() {
        let table = Table::new(Kind::Plan);
        let id = table.insert(Arc::new(())).unwrap();
        let inside = table
            .with(id, |value| {
                drop(table.remove(id));
                Ok(Arc::strong_count(value))
            })
            .unwrap();
        assert_eq!(inside, 1);
        assert!(table.is_empty());
    }
}
