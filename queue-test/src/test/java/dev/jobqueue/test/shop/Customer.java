package dev.jobqueue.test.shop;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

@Entity
@Table(name = "customers")
public class Customer {

    @Id
    private Long id;

    private String name;

    private int greetings;

    protected Customer() {}

    public Customer(long id, String name) {
        this.id = id;
        this.name = name;
    }

    public Long id() {
        return id;
    }

    public String name() {
        return name;
    }

    public int greetings() {
        return greetings;
    }

    public void greet() {
        greetings++;
    }

    public void rename(String other) {
        name = other;
    }
}
