/**
 * What a shuffle server does for its clients, independent of how requests arrive: both transports
 * decode, call {@link io.sluice.transport.server.DataService}, and encode.
 */
package io.sluice.server.service;
