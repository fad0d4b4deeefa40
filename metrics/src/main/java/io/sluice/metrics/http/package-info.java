/**
 * HTTP ports of the processes, over Netty. Each port has one event loop, which receives requests
 * and sends answers, so that a slow peer occupies no thread. Two additional threads create the
 * answers.
 */
package io.sluice.metrics.http;
