/**
 * From a stop or a crash to the next life of the server: what the directories hold is checked
 * against their catalogs, sorted, and fed into the logs; a clean stop is marked.
 *
 * <p>Runs before the server takes requests and after it took the last. Directories are looked
 * through in parallel, each by a thread of its own; shuffles are restored in parallel.
 */
package io.sluice.server.recovery;
