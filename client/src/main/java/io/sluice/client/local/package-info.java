/**
 * Map output kept as a file of the map side's own: whole blocks (docs/formats.md), laid out by
 * partition. Nothing here knows an engine. Objects belong to the task thread; no thread is started.
 */
package io.sluice.client.local;
