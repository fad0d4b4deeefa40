/** The record of who did what to applications and their data. Thread-safe. */
package io.sluice.common.audit;
