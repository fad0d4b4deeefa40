/**
 * Small files that are reloaded when they change, and access rights of created files. Thread-safe;
 * starts no threads.
 */
package io.sluice.common.file;
