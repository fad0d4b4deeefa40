/** Real server processes that are killed, or stopped and started, under load. */
package io.sluice.it.recovery;
