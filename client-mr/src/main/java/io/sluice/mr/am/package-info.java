/** The application master's part: registration, what containers are given, where outputs are. */
package io.sluice.mr.am;
