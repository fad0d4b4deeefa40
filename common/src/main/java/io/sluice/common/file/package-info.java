/**
 * Small files that processes are given and that change while they run, and access rights of files
 * that they create. Thread-safe; without threads.
 */
package io.sluice.common.file;
