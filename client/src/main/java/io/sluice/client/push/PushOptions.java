package io.sluice.client.push;

import io.sluice.client.compress.PayloadTransform;

/**
 * What an engine adds to a push session.
 *
 * @param transform applied to every payload, such as encryption; null for none
 * @param furtherServers where to ask when a server fails or is full; null: nowhere
 * @param localSink where blocks go that no server takes; null: the attempt fails then
 */
public record PushOptions(
    PayloadTransform transform, FurtherServers furtherServers, LocalSink localSink) {
  /** In clear text, to the assigned servers or not at all. */
  public static final PushOptions NONE = new PushOptions(null, null, null);

  /** The same, to the assigned servers and local output only. */
  public PushOptions withoutFurtherServers() {
    return new PushOptions(transform, null, localSink);
  }
}
