/**
 * What both ends of the framed TCP transport share: the choice of I/O mechanism and the receiver
 * that cuts a byte stream into frames. A {@link io.sluice.common.net.FrameReceiver} belongs to its
 * channel's event loop; everything else is thread-safe. Clients and servers depend on it.
 */
package io.sluice.common.net;
