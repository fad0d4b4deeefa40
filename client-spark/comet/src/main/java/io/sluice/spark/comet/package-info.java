/**
 * Shuffles of Apache DataFusion Comet through Sluice: a part of the client jar for Spark 3.5 and
 * Scala 2.12. Used only in applications that use Comet.
 */
package io.sluice.spark.comet;
