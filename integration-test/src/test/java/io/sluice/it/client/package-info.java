/** The client library against a coordinator and servers in this JVM, over real sockets. */
package io.sluice.it.client;
