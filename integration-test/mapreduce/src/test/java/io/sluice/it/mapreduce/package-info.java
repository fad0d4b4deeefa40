/**
 * MapReduce jobs and Spark applications on a mini cluster of YARN, with the built-in shuffle and
 * through Sluice's processes. Nothing of Hadoop is on the class path of these tests.
 */
package io.sluice.it.mapreduce;
