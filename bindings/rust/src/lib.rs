// SPDX-License-Identifier: BSD-2-Clause
//! Progress points and spans of Rust programs, for the causal profiler Lever.
//!
//! ```no_run
//! static REQUESTS: lever::Point = lever::Point::new("requests");
//! static REQUEST: lever::Point = lever::Point::new("request");
//!
//! fn serve() {
//!     let _span = REQUEST.span(); // how long does a request take?
//!     REQUESTS.progress();        // one unit of work is done
//! }
//! ```
//!
//! No dependencies. At the first visit it loads liblever.so.1: the file that LEVER_LIBRARY names, else where the
//! dynamic linker looks. Without the library all calls do nothing, and [`is_loaded`] is false.
use std::ffi::{c_void, CString};
use std::os::raw::{c_char, c_int};
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::Relaxed};
use std::sync::Once;

#[link(name = "dl")]
extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

const RTLD_NOW: c_int = 2;

struct Functions {
    id: unsafe extern "C" fn(*const c_char) -> u32,
    progress: unsafe extern "C" fn(u32),
    begin: unsafe extern "C" fn(u32),
    end: unsafe extern "C" fn(u32),
    counter: unsafe extern "C" fn(u32, i64),
    instant: unsafe extern "C" fn(u32),
}

/// 1 until the library has been looked for, so that the first visit does that.
static UNKNOWN: AtomicU32 = AtomicU32::new(1);
static NOTHING: AtomicU32 = AtomicU32::new(0);
static LISTENING: AtomicPtr<AtomicU32> = AtomicPtr::new(&UNKNOWN as *const AtomicU32 as *mut AtomicU32);
static FUNCTIONS: AtomicPtr<Functions> = AtomicPtr::new(std::ptr::null_mut());
static LOADED: Once = Once::new();

/// The library's functions and the address of the word that says whether something listens.
unsafe fn library_open() -> Option<(Functions, *mut AtomicU32)> {
    let path = std::env::var("LEVER_LIBRARY").unwrap_or_else(|_| "liblever.so.1".to_string());
    let library = dlopen(CString::new(path).ok()?.as_ptr(), RTLD_NOW);
    if library.is_null() {
        return None;
    }
    let symbol = |name: &str| {
        let found = dlsym(library, CString::new(name).ok()?.as_ptr());
        if found.is_null() { None } else { Some(found) }
    };
    let word: unsafe extern "C" fn() -> *mut AtomicU32 = std::mem::transmute(symbol("lever_listening_word")?);
    Some((
        Functions {
            id: std::mem::transmute(symbol("lever_id")?),
            progress: std::mem::transmute(symbol("lever_progress")?),
            begin: std::mem::transmute(symbol("lever_begin")?),
            end: std::mem::transmute(symbol("lever_end")?),
            counter: std::mem::transmute(symbol("lever_counter")?),
            instant: std::mem::transmute(symbol("lever_instant")?),
        },
        word(),
    ))
}

fn functions() -> Option<&'static Functions> {
    LOADED.call_once(|| {
        let mut word = &NOTHING as *const AtomicU32 as *mut AtomicU32;
        if let Some((functions, listening)) = unsafe { library_open() } {
            FUNCTIONS.store(Box::into_raw(Box::new(functions)), Relaxed);
            word = listening;
        }
        LISTENING.store(word, Relaxed);
    });
    unsafe { FUNCTIONS.load(Relaxed).as_ref() }
}

#[inline(always)]
fn is_listening() -> bool {
    unsafe { (*LISTENING.load(Relaxed)).load(Relaxed) != 0 }
}

/// Whether liblever.so was found.
pub fn is_loaded() -> bool {
    functions().is_some()
}

/// A name at which visits are counted; as a rule a static.
pub struct Point {
    name: &'static str,
    id: AtomicU32,
}

impl Point {
    pub const fn new(name: &'static str) -> Point {
        Point { name, id: AtomicU32::new(0) }
    }

    #[cold]
    #[inline(never)]
    fn visit(&self, call: impl Fn(&Functions, u32)) {
        if let Some(functions) = functions() {
            let mut id = self.id.load(Relaxed);
            if id == 0 {
                let name = CString::new(self.name).unwrap_or_default();
                id = unsafe { (functions.id)(name.as_ptr()) };
                self.id.store(id, Relaxed);
            }
            call(functions, id);
        }
    }

    /// One unit of work is done.
    #[inline(always)]
    pub fn progress(&self) {
        if is_listening() {
            self.visit(|functions, id| unsafe { (functions.progress)(id) });
        }
    }

    /// A piece of work begins; it ends in this thread or another.
    #[inline(always)]
    pub fn begin(&self) {
        if is_listening() {
            self.visit(|functions, id| unsafe { (functions.begin)(id) });
        }
    }

    /// A piece of work ends.
    #[inline(always)]
    pub fn end(&self) {
        if is_listening() {
            self.visit(|functions, id| unsafe { (functions.end)(id) });
        }
    }

    /// A piece of work that ends where the returned value is dropped.
    #[inline(always)]
    #[must_use]
    pub fn span(&self) -> Span<'_> {
        self.begin();
        Span(self)
    }

    /// A number, as a curve on the timeline of `lever trace`.
    #[inline(always)]
    pub fn counter(&self, value: i64) {
        if is_listening() {
            self.visit(|functions, id| unsafe { (functions.counter)(id, value) });
        }
    }

    /// A moment on the timeline of `lever trace`.
    #[inline(always)]
    pub fn instant(&self) {
        if is_listening() {
            self.visit(|functions, id| unsafe { (functions.instant)(id) });
        }
    }
}

/// Ends its piece of work when it is dropped.
pub struct Span<'point>(&'point Point);

impl Drop for Span<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.0.end();
    }
}
