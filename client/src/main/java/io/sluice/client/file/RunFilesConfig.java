package io.sluice.client.file;

import java.util.Optional;

/**
 * Which run files a client reads itself.
 *
 * @param onThisHost whether it asks servers on its host for descriptors
 * @param remote the directory of a shared file system that run files are opened below; empty: none
 */
public record RunFilesConfig(boolean onThisHost, Optional<RemoteDirectory> remote) {
  /** Everything is fetched. */
  public static final RunFilesConfig NONE = new RunFilesConfig(false, Optional.empty());
}
