/**
 * Local output: the file of a map attempt, and the background push of finished outputs, best
 * effort, on a few threads per process. Readers get blocks that were not pushed from the files. The
 * engine adds finished outputs, and removes shuffles that are no longer read.
 */
package io.sluice.client.local;
