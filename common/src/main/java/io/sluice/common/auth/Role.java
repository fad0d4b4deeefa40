package io.sluice.common.auth;

/** Permissions of a user. */
public enum Role {
  /** Register own applications, and read the state of the cluster. */
  USER,
  /** Read the state of the cluster. Also the role of an unknown user with a certificate. */
  READER,
  /** All operations. */
  ADMIN
}
