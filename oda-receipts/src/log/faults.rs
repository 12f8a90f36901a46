//! The log on a disk that fails when told to, and that loses what was not synced.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use super::storage::{FileState, Place, Storage};
use super::tail::Repair;
use super::writer::{Done, Mirror, Work, Writer};
use crate::common::{chain, draft, log_text};
use crate::error::ReceiptError;
use crate::receipt::Receipt;
use crate::seal::Unsealed;
use crate::status::Status;
use crate::verify::{Checks, Verifier};

/// A file in memory.
#[derive(Debug, Default)]
struct Disk {
    /// What readers see.
    bytes: Vec<u8>,
    /// What a power cut leaves for certain.
    durable: Vec<u8>,
    /// Bytes kept aside by repairs.
    torn: Vec<(u64, Vec<u8>)>,
    /// How many more bytes fit; `None` for any number.
    room: Option<usize>,
    /// The most that one write takes.
    longest_write: Option<usize>,
    failing: Vec<&'static str>,
    lost: bool,
}

#[derive(Debug, Clone, Default)]
struct FakeFile(Arc<Mutex<Disk>>);

impl FakeFile {
    fn with(bytes: impl AsRef<[u8]>) -> Self {
        let file = Self::default();
        file.disk().bytes = bytes.as_ref().to_vec();
        file.disk().durable = bytes.as_ref().to_vec();
        file
    }

    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.0.lock().unwrap()
    }

    fn open(&self) -> Result<Writer, ReceiptError> {
        Writer::open(Box::new(self.clone()), PathBuf::from("fake.jsonl"))
    }

    fn check(&self, operation: &'static str) -> io::Result<MutexGuard<'_, Disk>> {
        let disk = self.disk();
        if disk.failing.contains(&operation) {
            return Err(io::Error::other(format!("{operation} was told to fail")));
        }
        Ok(disk)
    }

    fn assert_all_durable(&self) {
        let disk = self.disk();
        assert_eq!(disk.bytes, disk.durable);
    }

    fn verified(&self) -> u64 {
        let bytes = self.disk().bytes.clone();
        Verifier::new(Checks::exact())
            .verify(&bytes[..])
            .unwrap()
            .lines
    }
}

impl Storage for FakeFile {
    fn lock(&self) -> io::Result<()> {
        self.check("lock").map(drop)
    }

    fn unlock(&self) -> io::Result<()> {
        self.check("unlock").map(drop)
    }

    fn state(&self) -> io::Result<FileState> {
        let disk = self.check("state")?;
        let place = if disk.lost { Place::Lost } else { Place::Kept };
        Ok(FileState {
            len: disk.bytes.len() as u64,
            place,
        })
    }

    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let disk = self.check("read")?;
        let from = usize::try_from(offset).unwrap().min(disk.bytes.len());
        let count = buffer.len().min(disk.bytes.len() - from).min(700);
        buffer[..count].copy_from_slice(&disk.bytes[from..from + count]);
        Ok(count)
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> io::Result<usize> {
        let mut disk = self.check("write")?;
        let fits = bytes.len().min(disk.longest_write.unwrap_or(usize::MAX));
        let fits = fits.min(disk.room.unwrap_or(usize::MAX));
        if fits == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        disk.room = disk.room.map(|room| room - fits);
        let offset = usize::try_from(offset).unwrap();
        assert!(offset <= disk.bytes.len(), "a write leaves no hole");
        disk.bytes.truncate(offset);
        disk.bytes.extend_from_slice(&bytes[..fits]);
        Ok(fits)
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        self.check("truncate")?
            .bytes
            .truncate(usize::try_from(len).unwrap());
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        let mut disk = self.check("sync")?;
        disk.durable = disk.bytes.clone();
        Ok(())
    }

    fn keep_torn(&self, bytes: &[u8], offset: u64) -> io::Result<PathBuf> {
        self.check("keep")?.torn.push((offset, bytes.to_vec()));
        Ok(Path::new("fake.torn").to_owned())
    }
}

fn seal(number: u64) -> Work {
    Work::Seal(Box::new(
        Unsealed::new(draft(number, Status::Prepared)).unwrap(),
    ))
}

fn append(writer: &mut Writer, number: u64) -> Result<Receipt, ReceiptError> {
    match writer.commit(vec![seal(number)]).remove(0)? {
        Done::Sealed(unsealed, seal) => Ok(unsealed.into_receipt(seal)),
        Done::Mirrored(_) => panic!("a draft was taken for a mirror"),
    }
}

fn code<T: std::fmt::Debug>(outcome: Result<T, ReceiptError>) -> &'static str {
    outcome.unwrap_err().code()
}

#[test]
fn a_full_disk_fails_the_append_and_leaves_the_file_as_it_was() {
    let file = FakeFile::default();
    let mut writer = file.open().unwrap();
    let first = append(&mut writer, 1).unwrap();
    for room in [0, 1, 500] {
        file.disk().room = Some(room);
        assert_eq!(code(append(&mut writer, 2)), "log_io");
        assert_eq!(
            file.disk().bytes,
            first.to_line().as_bytes(),
            "with room for {room} bytes"
        );
    }
    file.disk().room = None;
    append(&mut writer, 2).expect("there is room again");
    assert_eq!(file.verified(), 2);
}

#[test]
fn short_writes_are_continued() {
    let file = FakeFile::default();
    file.disk().longest_write = Some(100);
    let mut writer = file.open().unwrap();
    append(&mut writer, 1).unwrap();
    append(&mut writer, 2).unwrap();
    assert_eq!(file.verified(), 2);
    file.assert_all_durable();
}

#[test]
fn a_failed_sync_stops_the_handle_and_takes_the_line_back() {
    let file = FakeFile::default();
    let mut writer = file.open().unwrap();
    let first = append(&mut writer, 1).unwrap();
    file.disk().failing = vec!["sync"];
    assert_eq!(code(append(&mut writer, 2)), "log_io");
    assert_eq!(file.disk().bytes, first.to_line().as_bytes());
    file.disk().failing.clear();
    assert_eq!(code(append(&mut writer, 3)), "log_poisoned");
    assert_eq!(code(writer.refresh()), "log_poisoned");
    let mut reopened = file.open().unwrap();
    assert_eq!(append(&mut reopened, 3).unwrap().seq(), 1);
    assert_eq!(file.verified(), 2);
}

#[test]
fn a_write_that_cannot_be_taken_back_stops_the_handle_and_is_repaired_later() {
    let file = FakeFile::default();
    let mut writer = file.open().unwrap();
    let first = append(&mut writer, 1).unwrap();
    file.disk().failing = vec!["truncate"];
    file.disk().room = Some(300);
    assert_eq!(code(append(&mut writer, 2)), "log_io");
    assert_eq!(code(append(&mut writer, 3)), "log_poisoned");
    file.disk().failing.clear();
    file.disk().room = None;
    let mut reopened = file.open().unwrap();
    let end = first.to_line().len() as u64;
    let repairs = reopened.take_repairs();
    assert!(
        matches!(repairs[..], [Repair::TornLineMoved { offset, bytes: 300, .. }] if offset == end),
        "{repairs:?}"
    );
    assert_eq!(file.disk().torn.len(), 1);
    append(&mut reopened, 3).unwrap();
    assert_eq!(file.verified(), 2);
}

#[test]
fn a_repair_that_cannot_keep_the_torn_bytes_does_not_cut_them() {
    let lines = log_text(&chain(2));
    let torn = &lines[..lines.len() - 10];
    let file = FakeFile::with(torn);
    file.disk().failing = vec!["keep"];
    assert_eq!(code(file.open()), "log_io");
    assert_eq!(file.disk().bytes, torn.as_bytes());
}

#[test]
fn a_failing_lock_or_read_changes_nothing_and_the_next_try_works() {
    let file = FakeFile::default();
    let mut writer = file.open().unwrap();
    append(&mut writer, 1).unwrap();
    let mut other = file.open().unwrap();
    append(&mut other, 2).unwrap();
    for operation in ["lock", "read", "state"] {
        file.disk().failing = vec![operation];
        assert_eq!(code(append(&mut writer, 3)), "log_io", "{operation}");
        file.disk().failing.clear();
        assert_eq!(file.verified(), 2, "{operation}");
    }
    assert_eq!(append(&mut writer, 3).unwrap().seq(), 2);
}

#[test]
fn a_lock_that_cannot_be_given_back_stops_the_handle_after_the_durable_append() {
    let file = FakeFile::default();
    let mut writer = file.open().unwrap();
    file.disk().failing = vec!["unlock"];
    append(&mut writer, 1).expect("the line is on the disk");
    file.disk().failing.clear();
    assert_eq!(code(append(&mut writer, 2)), "log_poisoned");
}

/// The file after a power cut in the middle of the last of three appends: any length from what
/// was synced to what was written.
#[test]
fn a_power_cut_at_any_byte_loses_no_acknowledged_receipt() {
    let receipts = chain(3);
    let acknowledged = log_text(&receipts[..2]);
    let written = log_text(&receipts);
    for cut in acknowledged.len()..=written.len() {
        let file = FakeFile::with(&written[..cut]);
        let mut writer = file.open().unwrap_or_else(|e| panic!("cut at {cut}: {e}"));
        let repairs = writer.take_repairs();
        let whole = cut + 1 >= written.len();
        match &repairs[..] {
            [] => assert!(
                cut == acknowledged.len() || cut == written.len(),
                "cut at {cut}"
            ),
            [Repair::LineEndAdded { receipt }] => {
                assert_eq!((cut, *receipt), (written.len() - 1, receipts[2].link()));
            }
            [Repair::TornLineMoved { offset, bytes, .. }] => {
                assert_eq!(*offset, acknowledged.len() as u64);
                assert_eq!(*bytes, (cut - acknowledged.len()) as u64);
                assert_eq!(
                    file.disk().torn[0].1,
                    &written.as_bytes()[acknowledged.len()..cut]
                );
            }
            other => panic!("cut at {cut}: {other:?}"),
        }
        append(&mut writer, 9).unwrap();
        assert!(file.disk().bytes.starts_with(acknowledged.as_bytes()));
        assert_eq!(file.verified(), if whole { 4 } else { 3 }, "cut at {cut}");
        file.assert_all_durable();
    }
}

#[test]
fn a_line_torn_by_another_process_is_repaired_before_the_next_append() {
    let file = FakeFile::default();
    let mut writer = file.open().unwrap();
    append(&mut writer, 1).unwrap();
    file.disk().bytes.extend_from_slice(b"{\"action\":\"tok");
    append(&mut writer, 2).unwrap();
    assert!(matches!(
        writer.take_repairs()[..],
        [Repair::TornLineMoved { bytes: 14, .. }]
    ));
    assert!(writer.take_repairs().is_empty(), "each repair is told once");
    assert_eq!(file.verified(), 2);
}

#[test]
fn the_first_line_may_be_torn_too() {
    let line = chain(1)[0].to_line();
    for cut in 1..line.len() - 1 {
        let file = FakeFile::with(&line[..cut]);
        file.open().unwrap_or_else(|e| panic!("cut at {cut}: {e}"));
        assert_eq!(file.disk().bytes, b"");
        assert_eq!(file.disk().torn, [(0, line.as_bytes()[..cut].to_vec())]);
    }
    let zeros = FakeFile::with([0; 64]);
    zeros
        .open()
        .expect("a file system may leave zeros after a power cut");
    assert_eq!(zeros.disk().torn.len(), 1);
}

#[test]
fn files_that_are_no_logs_are_left_alone() {
    let whole = log_text(&chain(3));
    let foreign = whole.replacen("base", "polygon", 3);
    let wrong_last = format!(
        "{}{}",
        &whole[..whole.len() / 3],
        &foreign[foreign.len() / 3..]
    );
    for (bytes, expected) in [
        ("hello", "log_not_a_log"),
        ("{\"schema\": \"sato.policy/v1\",", "log_not_a_log"),
        ("{\"schema\": \"sato.policy/v1\"}", "log_tail_corrupt"),
        ("{\n  \"schema\": 1\n}", "log_tail_corrupt"),
        ("hello\n", "log_tail_corrupt"),
        ("\n", "log_tail_corrupt"),
        (wrong_last.as_str(), "log_tail_corrupt"),
        (&whole[whole.len() / 3 * 2..], "log_tail_corrupt"),
        (&format!("{whole}\n"), "log_tail_corrupt"),
        (
            whole[..whole.len() - 1]
                .replace("sha256:0", "sha256:1")
                .as_str(),
            "log_tail_corrupt",
        ),
    ] {
        let file = FakeFile::with(bytes);
        assert_eq!(code(file.open()), expected, "{bytes:?}");
        assert_eq!(file.disk().bytes, bytes.as_bytes());
        assert!(file.disk().torn.is_empty());
    }
}

#[test]
fn a_log_that_was_moved_or_cut_short_takes_no_more_appends() {
    let file = FakeFile::default();
    let mut writer = file.open().unwrap();
    append(&mut writer, 1).unwrap();
    append(&mut writer, 2).unwrap();
    let whole = file.disk().bytes.clone();

    file.disk().lost = true;
    assert_eq!(code(append(&mut writer, 3)), "log_replaced");
    file.disk().lost = false;
    assert_eq!(
        code(append(&mut writer, 3)),
        "log_poisoned",
        "even if it comes back"
    );

    let mut writer = file.open().unwrap();
    file.disk().bytes.truncate(whole.len() / 2);
    assert_eq!(code(append(&mut writer, 3)), "log_truncated");
    assert_eq!(file.disk().bytes.len(), whole.len() / 2);

    let mut writer = FakeFile::with(&whole).open().unwrap();
    append(&mut writer, 3).unwrap();
}

#[test]
fn what_another_process_appends_must_be_whole() {
    let receipts = chain(3);
    let file = FakeFile::with(log_text(&receipts[..1]));
    let mut writer = file.open().unwrap();
    file.disk()
        .bytes
        .extend_from_slice(receipts[2].to_line().as_bytes());
    assert_eq!(code(append(&mut writer, 7)), "log_tail_corrupt");
    assert_eq!(
        file.disk().bytes.len(),
        receipts[0].to_line().len() + receipts[2].to_line().len()
    );
}

#[test]
fn a_mirror_skips_what_is_there_and_refuses_gaps_and_forks() {
    let receipts = chain(6);
    let file = FakeFile::default();
    let mut writer = file.open().unwrap();
    let mut mirror = |of: &[Receipt]| match writer
        .commit(vec![Work::Mirror(Mirror::new(of)?)])
        .remove(0)?
    {
        Done::Mirrored(mirrored) => Ok((mirrored.skipped, mirrored.appended)),
        Done::Sealed(..) => panic!("a mirror was taken for a draft"),
    };
    assert_eq!(code(mirror(&receipts[1..2])), "receipts_gap");
    assert_eq!(mirror(&[]).unwrap(), (0, 0));
    assert_eq!(mirror(&receipts[..2]).unwrap(), (0, 2));
    assert_eq!(mirror(&receipts[..4]).unwrap(), (2, 2));
    assert_eq!(mirror(&receipts[..4]).unwrap(), (4, 0));
    assert_eq!(mirror(&receipts[1..2]).unwrap(), (1, 0));
    assert_eq!(code(mirror(&receipts[5..])), "receipts_gap");

    let mut other = draft(77, Status::Prepared);
    other.chain = "polygon".into();
    let at_tail = Receipt::seal(other.clone(), Some(receipts[2].link())).unwrap();
    assert_eq!(code(mirror(&[at_tail])), "receipts_fork");
    let elsewhere = Receipt::seal(other.clone(), None).unwrap();
    let mut branch = vec![elsewhere];
    for _ in 0..4 {
        let last = branch.last().unwrap().link();
        branch.push(Receipt::seal(other.clone(), Some(last)).unwrap());
    }
    assert_eq!(code(mirror(&branch[4..])), "receipts_fork");
    assert_eq!(
        code(mirror(&[receipts[0].clone(), receipts[2].clone()])),
        "receipts_gap"
    );
    assert_eq!(
        code(mirror(&[receipts[0].clone(), branch[1].clone()])),
        "receipts_fork"
    );
    assert_eq!(mirror(&receipts).unwrap(), (4, 2));
    assert_eq!(file.disk().bytes, log_text(&receipts).as_bytes());
}

#[test]
fn skipped_lines_of_a_dead_writer_are_synced_before_the_mirror_says_ok() {
    let receipts = chain(2);
    let file = FakeFile::with(log_text(&receipts[..1]));
    file.disk().bytes = log_text(&receipts).into_bytes();
    let mut writer = file.open().unwrap();
    let work = Work::Mirror(Mirror::new(&receipts).unwrap());
    writer.commit(vec![work]).remove(0).unwrap();
    file.assert_all_durable();
}

#[test]
fn one_refused_share_does_not_fail_the_others_of_its_batch() {
    let receipts = chain(4);
    let file = FakeFile::default();
    let mut writer = file.open().unwrap();
    let gap = Work::Mirror(Mirror::new(&receipts[2..]).unwrap());
    let outcomes = writer.commit(vec![seal(1), gap, seal(2)]);
    let good: Vec<bool> = outcomes.iter().map(Result::is_ok).collect();
    assert_eq!(good, [true, false, true]);
    assert_eq!(file.verified(), 2);
}
