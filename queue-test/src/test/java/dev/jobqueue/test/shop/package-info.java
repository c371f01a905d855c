/** A shop whose jobs are tested. */
package dev.jobqueue.test.shop;
