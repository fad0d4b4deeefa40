/**
 * The reduce side: from the map attempts that Spark expects, over verified blocks, to records,
 * aggregated and ordered as Spark's own reader does. Everything here belongs to one task and runs
 * on its thread. Depends on the client library and on Spark's public classes.
 */
package io.sluice.spark.read;
