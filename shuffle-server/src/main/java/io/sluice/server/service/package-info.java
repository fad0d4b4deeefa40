/**
 * The data service of a shuffle server, independent of the transport: both transports decode
 * requests, call {@link io.sluice.transport.server.DataService} and encode replies.
 */
package io.sluice.server.service;
