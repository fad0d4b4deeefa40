/**
 * Small files that processes are given and that change while they run. Thread-safe; without
 * threads.
 */
package io.sluice.common.file;
