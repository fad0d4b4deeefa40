/**
 * Verifies the checksums of run files that nobody reads, so that damage is found while there may be
 * another copy, and not by the reader who needs the bytes. One thread per disk, which alone waits
 * for it, is bounded in bandwidth, and stands back while others use the disk. Knows files and disks
 * by interfaces only.
 */
package io.sluice.server.scrub;
