/**
 * The HTTP ports of the processes, over Netty, as their other ports are. One event loop of a port's
 * own reads requests and sends answers, so that a slow peer holds no thread; two threads beside it
 * make the answers.
 */
package io.sluice.metrics.http;
