/**
 * The plugin for Hadoop MapReduce: classes shared by application master, map tasks and reduce
 * tasks, and the reads of reduce tasks. The classes that a job's configuration names are in
 * packages of Hadoop, because they use package-private classes and keep the names known from Apache
 * Uniffle.
 */
package io.sluice.mr;
