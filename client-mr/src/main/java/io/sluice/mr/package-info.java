/**
 * The plugin for Hadoop MapReduce: what application master, map tasks and reduce tasks share, and
 * the reads of reduce tasks. The classes that a job's configuration names are in Hadoop's own
 * packages, as users of Apache Uniffle know them, and as Hadoop's package-private parts demand.
 */
package io.sluice.mr;
