//! `perfectplay`, with networks that convolve.

use std::process::ExitCode;

fn main() -> ExitCode {
    perfectplay_conv::install();
    perfectplay::main()
}
