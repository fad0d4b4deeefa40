/** An in-memory shuffle server and a transport to it that can be told to fail, for tests. */
package io.sluice.client.fake;
