package io.sluice.client.push;

import io.sluice.client.compress.PayloadTransform;

/**
 * What an engine adds to a push session.
 *
 * @param transform applied to every payload, such as encryption; null for none
 * @param replacementServers where to ask when a server fails or is full; null: nowhere
 * @param localSink where blocks go that no server takes; null: the attempt fails then
 * @param sizes how the lengths of partitions are counted
 */
public record PushOptions(
    PayloadTransform transform,
    ReplacementServers replacementServers,
    LocalSink localSink,
    BlockSizes sizes) {
  /** In clear text, to the assigned servers or not at all. */
  public static final PushOptions NONE = new PushOptions(null, null, null);

  /** With lengths that are those of payloads. */
  public PushOptions(
      PayloadTransform transform, ReplacementServers replacementServers, LocalSink localSink) {
    this(transform, replacementServers, localSink, BlockSizes.PAYLOADS);
  }

  /** The same, to the assigned servers and local output only. */
  public PushOptions withoutReplacementServers() {
    return new PushOptions(transform, null, localSink, sizes);
  }
}
