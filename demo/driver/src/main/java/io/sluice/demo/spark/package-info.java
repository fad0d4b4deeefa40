/** What the demo runs inside the Spark driver. */
package io.sluice.demo.spark;
