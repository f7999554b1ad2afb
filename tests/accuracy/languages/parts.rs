// SPDX-License-Identifier: BSD-2-Clause
//! parts CASE SECONDS PERCENT_A PERCENT_B - a Rust program whose gains are known by how it is made (../languages.py).
//!
//! stages: one thread does first and second in turn; lock: two threads do first, and second under a mutex.
use std::{env, fs::File, hint::black_box, io::Write, sync::Mutex, thread, time::{Duration, Instant}};

#[inline(never)]
fn first(count: u64) -> u64 {
    let mut value = 1u64;
    for _ in 0..count {
        value = black_box(value.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407));
    }
    value
}

#[inline(never)]
fn second(count: u64) -> u64 {
    let mut value = 2u64;
    for _ in 0..count {
        value = black_box(value.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407));
    }
    value
}

fn stages(a: u64, b: u64, end: Instant) -> u64 {
    let (mut out, mut visits) = (File::create("/dev/null").unwrap(), 0);
    while Instant::now() < end {
        black_box(first(2 * a));
        black_box(second(b));
        out.write_all(b"x").unwrap();
        visits += 1;
    }
    visits
}

fn lock(mutex: &Mutex<u64>, a: u64, b: u64, end: Instant) -> u64 {
    let (mut out, mut visits) = (File::create("/dev/null").unwrap(), 0);
    while Instant::now() < end {
        black_box(first(3 * a / 5));
        {
            let mut value = mutex.lock().unwrap();
            *value += second(b);
        }
        out.write_all(b"x").unwrap();
        visits += 1;
    }
    visits
}

fn main() {
    let words: Vec<String> = env::args().collect();
    let number = |index: usize| words[index].parse::<f64>().unwrap();
    let (a, b) = ((30000.0 * number(3)) as u64, (30000.0 * number(4)) as u64);
    let begun = Instant::now();
    let end = begun + Duration::from_secs_f64(number(2));
    let mutex = Mutex::new(0);
    let visits = if words[1] == "stages" {
        stages(a, b, end)
    } else {
        thread::scope(|scope| {
            let other = scope.spawn(|| lock(&mutex, a, b, end));
            lock(&mutex, a, b, end) + other.join().unwrap()
        })
    };
    println!("period_ns={}", begun.elapsed().as_nanos() as u64 / visits);
}
