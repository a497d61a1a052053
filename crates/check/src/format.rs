//! The file: `docs/certificate.md` describes it for other programs.
//!
//! Magic, version, a header with the claim and the promised sizes, a checksum; then the records of all parts, packed
//! with zstd. Records refer to states by number and only forwards, so a cycle cannot be written down, and a reader
//! needs memory for the states that are announced but not yet spelled out.

use std::io::{Read, Seek, SeekFrom, Write};

use perfectplay_core::{Gain, Objective, Payoff, Player};

use crate::Error;
use crate::bytes::{Bytes, put, put_signed, put_text};

/// The first bytes of every certificate. Line ends and the eighth bit are there to notice a transfer as text.
pub const MAGIC: [u8; 8] = *b"\x89PPC\r\n\x1a\n";
/// The version of the format that this program writes and reads.
pub const VERSION: u16 = 1;

/// More than any header of ours takes, and little enough to hold.
pub(crate) const LONGEST_HEADER: u64 = 1 << 20;
/// Unpacking may look back this far (as a power of two): 8 MiB.
const WINDOW_LOG: u32 = 23;
const LEVEL: i32 = 9;

/// What is claimed and how much follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The game as it is opened by name.
    pub game: String,
    /// The position, in the game's notation.
    pub position: String,
    /// What the values are about.
    pub objective: Objective,
    /// The value claimed.
    pub claim: Claim,
    /// The parts of the proof, in the order of the file.
    pub parts: Vec<(Part, u64)>,
}

/// The worth of the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// Two players with opposed interests: what the first player gets.
    Value(i32),
    /// What every player gets in an equilibrium: gain and score.
    Equilibrium(Vec<(Gain, i32)>),
}

/// A part of a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A strategy of the first player that gets at least the value.
    AtLeast,
    /// A strategy of the second player that concedes at most the value.
    AtMost,
    /// The play of everybody in an equilibrium.
    Equilibrium,
}

impl Part {
    const ALL: [Part; 3] = [Part::AtLeast, Part::AtMost, Part::Equilibrium];

    /// As users read it.
    pub fn name(self) -> &'static str {
        match self {
            Part::AtLeast => "the strategy of player 1",
            Part::AtMost => "the strategy of player 2",
            Part::Equilibrium => "the equilibrium",
        }
    }
}

/// A payoff as the file has it: gain and score of every player.
pub fn written<P: Payoff>(payoff: P) -> Vec<(Gain, i32)> {
    Player::all(payoff.players()).map(|p| (payoff.gain(p), payoff.score(p))).collect()
}

/// Appends a payoff.
pub fn put_payoff(out: &mut Vec<u8>, payoff: &[(Gain, i32)]) {
    for &(gain, score) in payoff {
        out.push((gain.value() + 1) as u8);
        put_signed(out, score);
    }
}

/// The next payoff, for so many players.
pub fn read_payoff<R: Read>(bytes: &mut Bytes<R>, players: usize) -> Result<Vec<(Gain, i32)>, Error> {
    let part = |_| {
        let gain = match bytes.byte()? {
            0 => Gain::Loss,
            1 => Gain::Draw,
            2 => Gain::Win,
            _ => return Err(Error::damaged("it holds a gain that is neither loss, draw nor win")),
        };
        Ok((gain, bytes.signed()?))
    };
    (0..players).map(part).collect()
}

impl Header {
    fn write(&self, body: &Body) -> Vec<u8> {
        let mut out = Vec::new();
        put_text(&mut out, &self.game);
        put_text(&mut out, &self.position);
        out.push(match self.objective {
            Objective::Gain => 0,
            Objective::Score => 1,
            Objective::Length => 2,
        });
        match &self.claim {
            Claim::Value(value) => {
                out.push(0);
                put_signed(&mut out, *value);
            }
            Claim::Equilibrium(payoff) => {
                out.push(payoff.len() as u8);
                put_payoff(&mut out, payoff);
            }
        }
        put(&mut out, self.parts.len() as u64);
        for &(part, states) in &self.parts {
            out.push(part as u8);
            put(&mut out, states);
        }
        body.write(&mut out);
        out
    }

    fn read(bytes: &mut Bytes<&[u8]>) -> Result<(Header, Body), Error> {
        let game = bytes.text(LONGEST_HEADER)?;
        let position = bytes.text(LONGEST_HEADER)?;
        let objective = match bytes.byte()? {
            0 => Objective::Gain,
            1 => Objective::Score,
            2 => Objective::Length,
            _ => return Err(Error::damaged("its objective is neither gain, score nor length")),
        };
        let claim = match bytes.byte()? {
            0 => Claim::Value(bytes.signed()?),
            players => Claim::Equilibrium(read_payoff(bytes, players.into())?),
        };
        let count = bytes.number()?;
        if count > Part::ALL.len() as u64 {
            return Err(Error::damaged(format!("it has {count} parts")));
        }
        let part = |_| {
            let kind = bytes.byte()?;
            let part = Part::ALL.get(usize::from(kind));
            let part = *part.ok_or_else(|| Error::damaged(format!("it has a part of kind {kind}")))?;
            Ok((part, bytes.number()?))
        };
        let parts = (0..count).map(part).collect::<Result<_, Error>>()?;
        Ok((Header { game, position, objective, claim, parts }, Body::read(bytes)?))
    }
}

/// The promised sizes and the checksum of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Body {
    plain: u64,
    packed: u64,
    checksum: u32,
}

impl Body {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        put(out, self.plain);
        put(out, self.packed);
        put(out, self.checksum.into());
    }

    pub(crate) fn read(bytes: &mut Bytes<&[u8]>) -> Result<Self, Error> {
        let (plain, packed) = (bytes.number()?, bytes.number()?);
        let checksum = u32::try_from(bytes.number()?).map_err(|_| Error::damaged("its checksum is too long"))?;
        Ok(Body { plain, packed, checksum })
    }
}

/// Packs records as they come.
pub struct Packer {
    encoder: zstd::Encoder<'static, Vec<u8>>,
    waiting: Vec<u8>,
    plain: u64,
}

/// Bytes that are handed to zstd at once.
const PIECE: usize = 1 << 16;

impl Packer {
    /// Nothing packed yet.
    pub fn new() -> Result<Self, Error> {
        let mut encoder = zstd::Encoder::new(Vec::new(), LEVEL)?;
        encoder.window_log(WINDOW_LOG)?;
        Ok(Packer { encoder, waiting: Vec::with_capacity(2 * PIECE), plain: 0 })
    }

    /// Where the next record is put; [`Packer::flush`] then takes it.
    pub fn out(&mut self) -> &mut Vec<u8> {
        &mut self.waiting
    }

    /// Packs what waits if it is enough.
    pub fn flush(&mut self) -> Result<(), Error> {
        if self.waiting.len() >= PIECE { self.pack() } else { Ok(()) }
    }

    fn pack(&mut self) -> Result<(), Error> {
        self.encoder.write_all(&self.waiting)?;
        self.plain += self.waiting.len() as u64;
        self.waiting.clear();
        Ok(())
    }

    /// Writes the whole file.
    pub fn finish(self, header: &Header, file: impl Write) -> Result<u64, Error> {
        self.finish_with(MAGIC, |body| header.write(body), file)
    }

    /// Writes a file of another kind: what it begins with, and its header.
    pub(crate) fn finish_with(
        mut self,
        magic: [u8; 8],
        head: impl FnOnce(&Body) -> Vec<u8>,
        mut file: impl Write,
    ) -> Result<u64, Error> {
        self.pack()?;
        let packed = self.encoder.finish()?;
        let body = Body { plain: self.plain, packed: packed.len() as u64, checksum: crc32fast::hash(&packed) };
        let head = head(&body);
        let mut front = magic.to_vec();
        front.extend_from_slice(&VERSION.to_le_bytes());
        front.extend_from_slice(&(head.len() as u32).to_le_bytes());
        front.extend_from_slice(&head);
        front.extend_from_slice(&crc32fast::hash(&front).to_le_bytes());
        file.write_all(&front)?;
        file.write_all(&packed)?;
        file.flush()?;
        Ok((front.len() + packed.len()) as u64)
    }
}

/// The records, unpacked as they are read.
pub type Records<F> = Bytes<zstd::Decoder<'static, std::io::BufReader<std::io::Take<F>>>>;

/// Opens a certificate: the whole file is read once for its checksum, then the records can be read.
pub fn open<F: Read + Seek>(file: F) -> Result<(Header, Records<F>), Error> {
    open_with(file, MAGIC, Header::read)
}

/// Whether the file begins as files of this kind do.
pub(crate) fn begins_with(file: &mut impl Read, magic: [u8; 8]) -> Result<bool, Error> {
    let mut front = [0; 8];
    Ok(read_up_to(file, &mut front)? == 8 && front == magic)
}

/// Opens a file of some kind: what it begins with, and how its header is read.
pub(crate) fn open_with<F: Read + Seek, H>(
    mut file: F,
    magic: [u8; 8],
    read_header: impl FnOnce(&mut Bytes<&[u8]>) -> Result<(H, Body), Error>,
) -> Result<(H, Records<F>), Error> {
    let mut front = [0; 14];
    let read = read_up_to(&mut file, &mut front)?;
    if read < 8 || front[..8] != magic {
        return Err(Error::NotACertificate);
    }
    if read < 14 {
        return Err(Error::damaged("it is cut off within its header"));
    }
    let version = u16::from_le_bytes([front[8], front[9]]);
    if version != VERSION {
        return Err(Error::Version(version));
    }
    let length = u32::from_le_bytes([front[10], front[11], front[12], front[13]]);
    if u64::from(length) > LONGEST_HEADER {
        return Err(Error::damaged(format!("its header claims to be {length} bytes long")));
    }
    let mut head = vec![0; length as usize + 4];
    if read_up_to(&mut file, &mut head)? < head.len() {
        return Err(Error::damaged("it is cut off within its header"));
    }
    let (head, sum) = head.split_at(length as usize);
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&front);
    hasher.update(head);
    if hasher.finalize().to_le_bytes() != sum {
        return Err(Error::damaged("the checksum of its header is wrong"));
    }
    let mut bytes = Bytes::new(head, length.into());
    let (header, body) = read_header(&mut bytes)?;
    bytes.finish()?;
    let start = 14 + u64::from(length) + 4;
    check_sum(&mut file, &body)?;
    file.seek(SeekFrom::Start(start))?;
    let mut decoder = zstd::Decoder::new(file.take(body.packed))?;
    decoder.window_log_max(WINDOW_LOG)?;
    Ok((header, Bytes::new(decoder, body.plain)))
}

fn check_sum(file: &mut impl Read, body: &Body) -> Result<(), Error> {
    let mut hasher = crc32fast::Hasher::new();
    let (mut buffer, mut length) = (vec![0; 1 << 16], 0);
    loop {
        let count = read_up_to(file, &mut buffer)?;
        length += count as u64;
        if length > body.packed {
            return Err(Error::damaged("it is longer than it promises"));
        }
        if count == 0 {
            break;
        }
        hasher.update(&buffer[..count]);
    }
    if length < body.packed {
        return Err(Error::damaged(format!("it is cut off: {length} of {} bytes are there", body.packed)));
    }
    if hasher.finalize() != body.checksum {
        return Err(Error::damaged("its checksum is wrong"));
    }
    Ok(())
}

/// Fills `buffer` as far as the file goes.
fn read_up_to(file: &mut impl Read, buffer: &mut [u8]) -> Result<usize, Error> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(filled)
}
