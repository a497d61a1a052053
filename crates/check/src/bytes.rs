//! Numbers in a stream of bytes: LEB128, seven bits a byte, the lowest first.

use std::io::{self, Read};

use crate::Error;

/// Appends a number.
pub fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends a signed number: 0, -1, 1, -2 … as 0, 1, 2, 3 …
pub fn put_signed(out: &mut Vec<u8>, number: i32) {
    put(out, u64::from((number << 1 ^ number >> 31) as u32));
}

/// Appends a text: its length in bytes, then UTF-8.
pub fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

const BUFFER: usize = 1 << 16;

/// Reads numbers, with a buffer of its own: one call per byte of a general reader would take most of the time.
pub struct Bytes<R> {
    from: R,
    buffer: Box<[u8]>,
    at: usize,
    end: usize,
    /// Bytes that may still come.
    left: u64,
}

impl<R: Read> Bytes<R> {
    /// Reads from `from`, but no more than the `promised` number of bytes.
    pub fn new(from: R, promised: u64) -> Self {
        Bytes { from, buffer: vec![0; BUFFER].into_boxed_slice(), at: 0, end: 0, left: promised }
    }

    #[cold]
    fn refill(&mut self) -> Result<(), Error> {
        self.at = 0;
        self.end = loop {
            match self.from.read(&mut self.buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(Error::damaged(format!("its body cannot be unpacked ({error})"))),
                Ok(count) => break count,
            }
        };
        if self.end == 0 {
            return Err(Error::damaged("it ends in the middle of a record"));
        }
        Ok(())
    }

    /// The next byte.
    #[inline]
    pub fn byte(&mut self) -> Result<u8, Error> {
        if self.at == self.end {
            self.refill()?;
        }
        if self.left == 0 {
            return Err(Error::damaged("it holds more than it promises"));
        }
        self.left -= 1;
        self.at += 1;
        Ok(self.buffer[self.at - 1])
    }

    /// The next number.
    #[inline]
    pub fn number(&mut self) -> Result<u64, Error> {
        let first = self.byte()?;
        if first < 0x80 { Ok(first.into()) } else { self.long_number(first) }
    }

    fn long_number(&mut self, first: u8) -> Result<u64, Error> {
        let mut number = u64::from(first & 0x7f);
        for shift in (7..=63).step_by(7) {
            let byte = self.byte()?;
            if shift == 63 && byte > 1 {
                break;
            }
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(number);
            }
        }
        Err(Error::damaged("it holds a number of more than 64 bits"))
    }

    /// The next signed number.
    pub fn signed(&mut self) -> Result<i32, Error> {
        let number =
            u32::try_from(self.number()?).map_err(|_| Error::damaged("it holds a score of more than 32 bits"))?;
        Ok((number >> 1) as i32 ^ -((number & 1) as i32))
    }

    /// The next text, of at most `longest` bytes.
    pub fn text(&mut self, longest: u64) -> Result<String, Error> {
        let length = self.number()?;
        if length > longest {
            return Err(Error::damaged(format!("it holds a text of {length} bytes")));
        }
        let bytes = (0..length).map(|_| self.byte()).collect::<Result<Vec<u8>, Error>>()?;
        String::from_utf8(bytes).map_err(|_| Error::damaged("it holds a text that is not UTF-8"))
    }

    /// Nothing may follow, and all that was promised must have come.
    pub fn finish(mut self) -> Result<(), Error> {
        let more = self.at < self.end || self.from.read(&mut self.buffer).is_ok_and(|count| count > 0);
        match (more, self.left) {
            (false, 0) => Ok(()),
            (true, _) => Err(Error::damaged("something follows its last record")),
            (false, _) => Err(Error::damaged("it holds less than it promises")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_read() {
        let mut out = Vec::new();
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let signed = [0, -1, 1, i32::MIN, i32::MAX];
        numbers.iter().for_each(|&n| put(&mut out, n));
        signed.iter().for_each(|&n| put_signed(&mut out, n));
        put_text(&mut out, "Zug");
        let mut bytes = Bytes::new(&out[..], out.len() as u64);
        numbers.iter().for_each(|&n| assert_eq!(bytes.number().unwrap(), n));
        signed.iter().for_each(|&n| assert_eq!(bytes.signed().unwrap(), n));
        assert_eq!(bytes.text(3).unwrap(), "Zug");
        bytes.finish().unwrap();
    }

    #[test]
    fn bad_numbers_are_refused() {
        let read = |bytes: &[u8], promised| Bytes::new(bytes, promised).number();
        assert!(read(&[0xff; 12], 12).is_err());
        assert!(read(&[0x80], 1).is_err());
        assert!(read(&[0x80, 0x01], 1).is_err(), "more than promised");
        assert!(Bytes::new(&[1, 2][..], 2).finish().is_err());
        assert!(Bytes::new(&[9, b'a'][..], 2).text(100).is_err());
    }
}
