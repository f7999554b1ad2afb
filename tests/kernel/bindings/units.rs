// SPDX-License-Identifier: BSD-2-Clause
//! units N - N units of work, each in a span, half of them in a thread; for bindings.py.
use lever::Point;

static UNITS: Point = Point::new("units");
static UNIT_SPAN: Point = Point::new("unit span");
static TOTAL: Point = Point::new("total");
static DONE: Point = Point::new("done");

fn units(count: i64) {
    for number in 0..count {
        let _span = UNIT_SPAN.span();
        let sum = (0..3000).fold(0i64, |sum, value| unsafe { std::ptr::read_volatile(&(sum + value)) });
        TOTAL.counter(number + sum % 2);
        UNITS.progress();
    }
}

fn main() {
    let all: i64 = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    let thread = std::thread::spawn(move || units(all / 2));
    units(all - all / 2);
    thread.join().unwrap();
    DONE.instant();
}
