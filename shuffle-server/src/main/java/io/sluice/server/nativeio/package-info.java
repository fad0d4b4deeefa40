/**
 * Calls of the C library that Java has no words for, made through JNA. Every class in here says
 * whether it works on this machine, and the server runs without it if it does not. Thread-safe; a
 * call waits for a disk only where its javadoc says so.
 */
package io.sluice.server.nativeio;
