/** Jobs that integration tests run on a cluster; they know nothing of Sluice. */
package io.sluice.it.mapreduce.jobs;
