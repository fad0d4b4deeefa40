/**
 * The Sluice tab of Spark's web pages: what became of each shuffle, live, and from the event log in
 * the history server. Events carry the state of one shuffle; rows of Spark's status store keep the
 * newest; the page is made of the rows. Knows Spark's pages, listeners and status store.
 */
package io.sluice.spark.ui;
