/**
 * MapReduce jobs and Spark applications on a YARN mini cluster, with the built-in shuffle and with
 * Sluice's processes. The class path of these tests does not contain Hadoop.
 */
package io.sluice.it.mapreduce;
