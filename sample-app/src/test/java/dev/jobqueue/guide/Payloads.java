package dev.jobqueue.guide;

import dev.jobqueue.JobType;

/** What the jobs of the examples carry. */
final class Payloads {

    private Payloads() {}

    @JobType("stock.reserve")
    record ReserveStock(long orderId, String email) {}

    @JobType("payment.collect")
    record CollectPayment(String account, int cents) {}

    // snippet: payload-queue
    @JobType(value = "parcel.track", queue = "parcels")
    record TrackParcel(String number) {}
    // end

    @JobType("report.build")
    record BuildReport(int year, int month) {}

    @JobType("catalog.import")
    record ImportCatalog(int pages) {}

    @JobType("newsletter.send")
    record SendNewsletter(String issue, int readers) {}

    @JobType("customer.sync")
    record SyncCustomer(long customerId) {}

    record MakeThumbnail(String image) {}

    @JobType("product.index")
    record IndexProduct(long productId) {}
}
