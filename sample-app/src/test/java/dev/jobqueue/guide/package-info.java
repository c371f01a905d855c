/** The examples of README and guide; the regions between {@code snippet} and {@code end} are printed there. */
package dev.jobqueue.guide;
